"""Data of one's own beyond memory, read as a schema says: block by block here, or by kernels where the blocks are."""
