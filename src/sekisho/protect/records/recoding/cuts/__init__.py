"""Classes of records by cuts: the pieces of a class, their order by a column, the best cut, and the cutting itself."""
