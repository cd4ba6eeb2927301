"""What several releases of one population tell together: who could be which rows, counted."""
