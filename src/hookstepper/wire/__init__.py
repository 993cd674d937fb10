"""The wire between host and screen: frames of JSON over a socket, the same code at both ends."""
