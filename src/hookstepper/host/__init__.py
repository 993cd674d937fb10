"""The debuggee process: runs the target on its main thread, speaks the wire on others."""
