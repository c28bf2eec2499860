"""Names: Blender allows any text, scenes only letters, digits, _ and -. Plain Python, no bpy."""
import re

RESERVED = {"ground", "total"}


def scene_name(text):
    """The nearest name that a scene allows: "Cube.001" becomes "Cube-001"."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("-") or "object"
    if not name[0].isalpha() or name in RESERVED:
        name = "o-" + name
    return name


class Names:
    """Both ways between Blender's names and those of a scene. The same names give the same result."""

    def __init__(self, blender_names):
        self.scene, self.blender = {}, {}
        for text in sorted(blender_names):
            name, count = scene_name(text), 1
            while name in self.blender:
                count += 1
                name = f"{scene_name(text)}-{count}"
            self.scene[text] = name
            self.blender[name] = text

    def add(self, wanted, text):
        """A name of the scene's own for something that stands for the object `text`."""
        name, count = wanted, 1
        while name in self.blender:
            count += 1
            name = f"{wanted}-{count}"
        self.blender[name] = text
        return name

    def in_blender(self, message):
        """A message of the program with its names as Blender has them: 'Cube-001' becomes 'Cube.001'."""
        return re.sub(r"'([^']*)'", lambda m: "'" + self.blender.get(m.group(1), m.group(1)) + "'", message)

    def mentioned(self, message):
        """Blender's names of the objects that a message of the program speaks of, in its order."""
        found = [self.blender[word] for word in re.findall(r"'([^']*)'", message) if word in self.blender]
        return list(dict.fromkeys(found))


PLACE = re.compile(r"^(?:catena: )?(?:.*?\.json|<stdin>)(?::\d+:\d+)?: (.*)$")


def messages_of(standard_error, names):
    """What the program complained of, one text per mistake: without places in a file that nobody sees, and
    without the lines of that file below them."""
    found = []
    for line in standard_error.splitlines():
        match = PLACE.match(line)
        if match:
            found.append(names.in_blender(match.group(1)))
        elif line.startswith("catena: "):
            found.append(names.in_blender(line[len("catena: "):]))
    return found
