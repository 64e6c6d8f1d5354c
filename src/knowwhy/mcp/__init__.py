"""The door for assistants: the Model Context Protocol over stdio and over HTTP."""
