"""The screen: a Textual app that draws a `client.view.View` and turns keys into commands."""
