"""Scenes as TOML."""
import json


def _value(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _key(name):
    return name if name.replace("_", "").replace("-", "").isalnum() else json.dumps(name)


def _lines(path, table):
    plain = {k: v for k, v in table.items() if not isinstance(v, list) or not v or not isinstance(v[0], dict)}
    lists = {k: v for k, v in table.items() if k not in plain}
    lines = [f"{_key(k)} = {_value(v)}" for k, v in plain.items()]
    for name, items in lists.items():
        for item in items:
            lines += ["", f"[[{path}.{name}]]", *_lines(f"{path}.{name}", item)]
    return lines


def text(tree):
    """A scene as people write it: tables and lists of tables, inline below that."""
    lines = []
    for name, value in tree.items():
        if isinstance(value, dict):
            lines += [f"[{name}]", *_lines(name, value), ""]
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for item in value:
                lines += [f"[[{name}]]", *_lines(name, item), ""]
        else:
            lines.insert(0, f"{_key(name)} = {_value(value)}")
    return "\n".join(lines).rstrip() + "\n"
