"""The record on the screen side: what ran, what it changed, who did it; pure data, no screen words."""
