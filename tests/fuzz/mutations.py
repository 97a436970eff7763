"""Changes of exported documents: random ones, and each field set to each extreme value."""
import copy
import json
import random

NUMBERS = [0, 1, -1, 2, 63, 10**4, 10**8, 2**31 - 1, 2**31, 2**32, 2**53, 2**53 + 1, 2**63 - 1,
           -2**63, 2**64 - 1, 0.5, -0.0, 5e-324, 1e15, 1e300, 1.7976931348623157e308, -1e308]
TEXTS = ["", "../../x", "/etc/passwd", "a\x00b", "\x1b[2J", "x" * 70_000, "$(reboot) \n", "\u202e",
         "</script><script>alert(1)</script>", "=1+1", "NaN", "none", "diverged", "completed",
         "stop", "continue", "pause", "tr_1", "tr_0", "tr_-1", "rn_1.0", "rn_1.9999", "rn_999.0",
         "rn_1.0#1", "le_1", "le_9223372036854775807", "wk_1", "md_1", "sw_1", "a" * 64,
         "9999-12-31T23:59:59Z", "1e9d", "${${a}}", "(" * 500, "2 ** 999 ** 999", "lr"]
EXTREMES = [0, 1, -1, 2**31 - 1, 2**31, 2**53, 2**63 - 1, -2**63, 0.5, 1e308, -1e308, None, True,
            "", "x" * 70_000, "\x1b[2J\u202e\x00", [], {}, [None], "NaN"]


class Mutator:
    """Changes documents; the same seed makes the same changes."""

    def __init__(self, documents, seed):
        self.documents = list(documents.values())
        self.texts = [json.dumps(document) for document in self.documents]
        self.chance = random.Random(seed)

    def make(self):
        document = json.loads(self.chance.choice(self.texts))
        for _ in range(self.chance.choice((1, 1, 1, 2, 2, 3, 4))):
            change = self.chance.choice((self.events, self.value, self.value, self.value, self.key,
                                         self.transplant, self.times))
            try:
                change(document)
            except (KeyError, IndexError, TypeError, AttributeError, ValueError):
                continue  # an earlier change removed what this one changes
        return document

    def events(self, document):
        events, chance = document["events"], self.chance
        i, j = chance.randrange(len(events)), chance.randrange(len(events))
        how = chance.randrange(8)
        if how == 0:
            del events[i]
        elif how == 1:
            events[i], events[j] = events[j], events[i]
        elif how == 2:
            events.insert(j, copy.deepcopy(events[i]))
        elif how == 3:
            events.insert(j, events.pop(i))
        elif how == 4:
            del events[i:]
        elif how == 5:
            events[i]["body"] = copy.deepcopy(events[j]["body"])
        elif how == 6:
            events[i]["kind"] = events[j]["kind"]
        else:
            other = chance.choice(self.documents)["events"]
            events.insert(i, copy.deepcopy(chance.choice(other)))

    def place(self, document):
        """A container of the document and a key in it. An event is as likely as any other, long or
        short, and its kind is chosen first, so that rare ones are changed, too."""
        chance, node = self.chance, document
        if chance.random() < 0.85:
            kind = chance.choice(sorted({event["kind"] for event in document["events"]}))
            node = chance.choice([event for event in document["events"] if event["kind"] == kind])
        while True:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            key = chance.choice(keys)
            below = node[key]
            if not isinstance(below, (dict, list)) or not below or chance.random() < 0.1:
                return node, key
            node = below

    def value(self, document):
        node, key = self.place(document)
        was, chance = node[key], self.chance
        if isinstance(was, bool):
            node[key] = chance.choice((not was, None, 1))
        elif isinstance(was, (int, float)) and chance.random() < 0.8:
            node[key] = chance.choice(NUMBERS + [was + 1, was - 1, -was, 2 * was, float(was)])
        elif isinstance(was, str) and chance.random() < 0.8:
            near = [was + "x", was[:-1], was.upper(), was * 3, was.replace("1", "2")]
            node[key] = chance.choice(TEXTS + near)
        elif isinstance(was, list) and was and chance.random() < 0.6:
            node[key] = chance.choice((was * 2, was * 50, was[:-1], was[::-1], [], [was]))
        else:
            node[key] = chance.choice((None, [], {}, "", 0, [[[[]]]], {"a": {"b": 1}}, was))

    def key(self, document):
        node, key = self.place(document)
        if self.chance.random() < 0.6:
            del node[key]
        else:
            other, name = self.place(self.chance.choice(self.documents))
            if isinstance(node, dict):
                node[str(name)] = copy.deepcopy(other[name])

    def transplant(self, document):
        """A part of another document in the place of the same part of this one."""
        other = self.chance.choice(self.documents)
        if self.chance.random() < 0.5:
            spec, source = document["events"][0]["body"]["spec"], other["events"][0]["body"]["spec"]
            name = self.chance.choice(sorted(source))
            spec[name] = copy.deepcopy(source[name])
            return
        event = self.chance.choice(document["events"])
        twins = [one for one in other["events"] if one["kind"] == event["kind"]]
        event["body"] = copy.deepcopy(self.chance.choice(twins)["body"])

    def times(self, document):
        start = self.chance.randrange(len(document["events"]))
        shift = self.chance.choice((-1, 1, 10**6, -10**15, 10**18, 2**62))
        for event in document["events"][start:]:
            event["at_us"] += shift


def fields_of(documents):
    """Each field of each kind of event, once: (kind, its place) -> (document, event, path)."""
    found = {}

    def walk(document, event, value, path):
        if path:
            shape = ".".join("*" if isinstance(key, int) else key for key in path)
            found.setdefault((document["events"][event]["kind"], shape), (document, event, path))
        if isinstance(value, dict):
            for key in value:
                walk(document, event, value[key], (*path, key))
        if isinstance(value, list):
            for number in range(min(len(value), 2)):
                walk(document, event, value[number], (*path, number))
    for document in documents.values():
        for number, event in enumerate(document["events"]):
            walk(document, number, event["body"], ())
    return found


def move_to_end(document, event):
    """Moves an event to just before the end of its sweep, at the time of that."""
    moved = document["events"].pop(event)
    ends = [number for number, one in enumerate(document["events"])
            if one["kind"] == "sweep_ended"]
    where = ends[-1] if ends else len(document["events"])
    moved["at_us"] = document["events"][where - 1]["at_us"]
    document["events"].insert(where, moved)


def extremes(documents, count, seed, kind_wanted=None):
    """(what was changed, document) for a sample of all fields with all values; 0: all of them. Each
    event stays where it is, or is the last one before the end: nothing after it then uses it."""
    every = [(kind, shape, *where, value, late)
             for (kind, shape), where in fields_of(documents).items()
             if kind_wanted in (None, kind)
             for value in (*EXTREMES, "twice") for late in (False, True)]
    if count:
        every = random.Random(seed).sample(every, min(count, len(every)))
    for kind, shape, document, event, path, value, late in every:
        document = copy.deepcopy(document)
        node = document["events"][event]["body"]
        for key in path[:-1]:
            node = node[key]
        was = node[path[-1]]
        if value == "twice":
            value = was * 2 if isinstance(was, (list, str, int, float)) else [was, was]
        if value != was or type(value) is not type(was):
            node[path[-1]] = value
            if late:
                move_to_end(document, event)
            yield (f"{kind}.{shape} = {json.dumps(value)[:40]}" + " (last event)" * late), document
