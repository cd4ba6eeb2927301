"""Which columns name people: by their header, by what stands in them, or because nearly every value is another one."""
