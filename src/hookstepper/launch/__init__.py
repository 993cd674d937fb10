"""Starting, watching, ending and restarting the agent process."""
