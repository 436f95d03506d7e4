"""Behaves: echoes. Ends when stdin ends."""
import mcp

mcp.serve(mcp.echo)
