"""Answers with a text of as many bytes as it is asked for."""
import mcp


def call(request):
    mcp.text(request, "x" * request["params"]["arguments"]["size"])


mcp.serve(call)
