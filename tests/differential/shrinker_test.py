"""Tests the shrinker with made-up faults: a kernel "fails" if it contains a certain word. Needs neither Warpwait nor
PoCL."""
import generator
import harness


def shrunk(seed, wrong, seconds=20):
    """(the kernel's text afterwards, how often wrong() was called)"""
    asked = 0
    def fails(tree):
        nonlocal asked
        asked += 1
        return wrong(tree.render())
    tree = generator.generate(seed)
    return generator.shrink(tree, fails, seconds).render(), asked


def first_with(word):
    """The first seed from 1 on whose kernel contains the word."""
    return next(seed for seed in range(1, 1000) if word in generator.generate(seed).render().split("kernel void", 1)[1])


def leaves_little(word, lines):
    text, asked = shrunk(first_with(word), lambda text: word in text.split("kernel void", 1)[1])
    count = len([line for line in text.splitlines() if line.strip(" {}")])
    if word not in text or count > lines or asked > 150:
        yield f"shrinker: {count} lines are left around '{word}' after {asked} attempts, {lines} and 150 are enough:\n{text}"


def keeps_what_is_used():
    text, _ = shrunk(first_with("from_table("), lambda text: text.count("from_table(") >= 2)
    if "uint from_table(" not in text:
        yield f"shrinker: from_table is used, and gone:\n{text}"


def ends_in_time():
    """Only one attempt is made then, without unused declarations."""
    asked = shrunk(1, lambda text: True, seconds=-1)[1]
    if asked > 1:
        yield f"shrinker: {asked} attempts when its time is over"


def sees_differences():
    """harness.wrong() with values that are one and two units in the last place apart, NaNs, and the two zeros."""
    np = harness.np
    one = np.float32(1)
    after = np.nextafter(one, np.float32(2))
    far = np.nextafter(after, np.float32(2))
    got = np.array([one, after, far, np.nan, 0.0, np.nan, np.inf], np.float32)
    expected = np.array([one, one, one, np.nan, -0.0, 1, -np.inf], np.float32)
    for ulp, answer in ((0, [0, 1, 1, 0, 0, 1, 1]), (1, [0, 0, 1, 0, 0, 1, 1]), (2, [0, 0, 0, 0, 0, 1, 1])):
        if harness.wrong(got, expected, ulp).astype(int).tolist() != answer:
            yield f"harness: with {ulp} ULP allowed, other elements are wrong than should be"


def run():
    """(tests that passed, messages about those that did not)"""
    tests = [leaves_little(word, 12) for word in ("mul_hi(", "continue;", "switch", "async_work_group_copy", "/ (fabs")]
    tests += [keeps_what_is_used(), ends_in_time(), sees_differences()]
    faults = [fault for test in tests for fault in test]
    return len(tests) - len(faults), faults
