"""The hooks that come with the agent, one file each."""
