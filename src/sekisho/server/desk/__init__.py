"""The desk: a file of one's own, from the first look to the verdict, in a browser on this machine.

It edits a recipe, runs it and shows what came of it; it decides nothing. Nothing of a contest is known here.
"""
