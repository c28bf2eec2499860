"""Methods of one's own that pickled runs refer to by name."""


def my_euler(f, t, y, h):
    return y + h * f(t, y)


def my_midpoint(f, t, y, h):
    return y + h * f(t + h / 2, y + h / 2 * f(t, y))
