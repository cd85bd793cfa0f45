"""One conversation with several agents, each with a session of its own, over ACP."""
