"""Writes a C source with the names that an extension module with commands asks for: those of Python, for a program that loads it
without Python, and calls of those of Cairo, so that the program has them; and beside it (OUTPUT.list) these names for the linker,
which lets nothing else be seen.

usage: write_names.py ENGINE_MODULE OUTPUT
"""
import re
import subprocess
import sys


def main():
    module, output = sys.argv[1:]
    listed = subprocess.run(["nm", "-D", "--undefined-only", module], capture_output=True, text=True, check=True).stdout
    names = sorted(set(re.findall(r" [Uvw] (\w+)", listed)))
    python = [name for name in names if re.match("_?Py", name)]
    drawing = [name for name in names if re.match("cairo_|Fc[A-Z]|FT_", name)]
    lines = ["/* Of Python: names, and nothing behind them. */"]
    lines += [f"__attribute__((visibility(\"default\"))) void* {name}[64];" for name in python]
    lines += ["/* Of Cairo and its fonts: here, for the module. */", *(f"extern void {name}(void);" for name in drawing)]
    lines += ["void (*const catena_drawing[])(void) = {", *(f"    {name}," for name in drawing), "    0};"]
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    with open(output + ".list", "w", encoding="utf-8") as file:
        file.write("{\n" + "".join(f"  {name};\n" for name in python + drawing) + "};\n")


if __name__ == "__main__":
    main()
