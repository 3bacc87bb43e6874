"""Kernels as trees of text, and shrinking one while it still fails.

The shrinker works from the top down. From each list it removes halves, quarters, ... and single statements. Then it
replaces statements by their contents, and expressions by zero or by a part of the same type. An attempt costs a run, so
what is certainly wrong (removing a name that is still used) is not tried.
"""
import collections
import re
import time


class Node:
    """`text` with {0}, {1}, ... for its children. `kind` is an expression's type, "statement" or "list". `name` is what
    it declares."""

    def __init__(self, kind, text, children=(), name=None):
        self.kind, self.text, self.children, self.name = kind, text, list(children), name

    def render(self):
        if self.kind == "list":
            return "\n".join(child.render() for child in self.children)
        return self.text.format(*(child.render() for child in self.children))

    def size(self):
        return 1 + sum(child.size() for child in self.children)


def zero(kind):
    return Node(kind, f"(({kind})0)")


class Shrinker:
    """`is_value(kind)`: is a node of that kind an expression that zero() may replace?"""

    def __init__(self, tree, fails, is_value, seconds):
        self.tree, self.fails, self.is_value = tree, fails, is_value
        self.end = time.monotonic() + seconds
        self.tried = {tree.render()}

    def over(self):
        return time.monotonic() > self.end

    def kept(self, node, children):
        """Gives the node these children if the kernel still fails with them. Returns whether it does."""
        before, node.children = node.children, children
        text = self.tree.render()
        gone = [child.name for child in before if child.name and child not in children]
        if text not in self.tried and not self.over() and not any(re.search(rf"\b{name}\b", text) for name in gone):
            self.tried.add(text)
            if self.fails(self.tree):
                return True
        node.children = before
        return False

    def each(self, change):
        """Calls change(node) for each node, parents first; children are queued after the change. Returns whether any
        node changed."""
        queue, changed = collections.deque([self.tree]), False
        while queue and not self.over():
            node = queue.popleft()
            changed |= change(node)
            queue.extend(reversed(node.children))  # results before statements before declarations
        return changed

    def drop_unused(self):
        """Removes all unused declarations in one attempt, even after the time is over."""
        before = [(node, list(node.children)) for node in self.tree.children]
        for node in reversed(self.tree.children):
            for child in reversed([child for child in node.children if child.name]):
                word = re.compile(rf"\b{child.name}\b")
                if len(word.findall(self.tree.render())) == len(word.findall(child.render())):
                    node.children.remove(child)
        if any(len(node.children) < len(children) for node, children in before) and not self.fails(self.tree):
            for node, children in before:
                node.children = children

    def cut(self, node):
        changed, length = False, len(node.children) if node.kind == "list" else 0
        while length:
            at = 0
            while at < len(node.children):
                if self.kept(node, node.children[:at] + node.children[at + length:]):
                    changed = True
                else:
                    at += length
            length //= 2
        return changed

    def open(self, node):
        """Replaces statements by their bodies."""
        changed, at = False, 0
        while node.kind == "list" and at < len(node.children):
            bodies = [inner for inner in node.children[at].children if inner.kind == "list"]
            if any(self.kept(node, node.children[:at] + inner.children + node.children[at + 1:]) for inner in bodies):
                changed = True
            else:
                at += 1
        return changed

    def simplify(self, node):
        changed = False
        for at, child in enumerate(node.children):
            if not child.children and child.kind != "bool":
                continue
            if self.is_value(child.kind):
                others = [zero(child.kind)] + [part for part in child.children if part.kind == child.kind]
            elif child.kind == "bool" and child.text not in ("(1)", "(0)"):
                others = [Node("bool", "(1)"), Node("bool", "(0)")]
            else:
                continue
            changed |= any(self.kept(node, node.children[:at] + [other] + node.children[at + 1:]) for other in others)
        return changed

    def run(self):
        """Cheap steps first. Declarations are removed as soon as nothing needs them, because they cost time in every
        attempt."""
        changed = True
        while changed and not self.over():
            changed = self.each(self.cut)
            self.drop_unused()
            changed |= self.each(self.open) | self.each(self.simplify)
        self.drop_unused()
        return self.tree


def shrink(tree, fails, is_value, seconds=60):
    """Shrinks `tree` while fails(tree) holds, for about `seconds`."""
    return Shrinker(tree, fails, is_value, seconds).run()
