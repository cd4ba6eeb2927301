"""Spark, classic and Connect: the only room that knows it. pyspark is an extra, loaded by name when it is asked for."""
