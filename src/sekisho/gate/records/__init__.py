"""The gate for records: risks measured against conditions, and the plan of the least risk."""
