"""Spark, by Spark Connect: a cluster, Databricks, or Sail, which speaks the same in one process.

dialect     pure: which nodes have a form here; all others are refused
provider    its URLs
settings    what each session says of itself, and is asked again before each request
client      Spark's own client, kept quiet
sessions    a session for each request at once, with the tables as they were found
inputs      what a query is told of released rows
driver      the engine; schema: its reader of schemas; describing: for `dpproxy init`
"""
