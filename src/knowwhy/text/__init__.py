"""Pure functions over text: a string in, values out."""
