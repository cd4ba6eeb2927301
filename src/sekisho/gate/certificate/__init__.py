"""The gate's certificate: what was decided, on what grounds, signed, and checked again instead of believed."""
