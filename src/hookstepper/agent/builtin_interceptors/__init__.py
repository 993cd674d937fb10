"""The interceptors that come with the agent, one file each."""
