"""What the sample blog writes about: a signal box on a closed railway line, and the people around it."""

from __future__ import annotations

from everlog.demo.prose import Voice

SIGNAL_BOX = Voice(
    titles=(
        "Forty levers", "The last train was late", "Painting the number boards", "A stove that draws",
        "Who has the key?", "Bell codes for beginners", "Rust & other colours", "The heron on platform two",
        "Snow in the cutting", "What the block book says", "Lamp oil, by the litre", "Two visitors from the museum",
        "The clock runs backwards", "An honest map of the yard", "Blackberries along the down line",
        "How to oil a pulley", "The telegraph pole leans", "Tea for the track gang", "Seven sleepers, sawn",
        "A letter to the waterworks", "The points are frozen", "Listening to the wires", "Whose bicycle is this?",
        "On the smell of creosote", "The gate that swings wide", "Owls in the goods shed", "A timetable for nobody",
        "Rain on a tin roof", "The stationmaster's garden", "Lever seventeen", "Counting wagons from memory",
        "A short walk to the tunnel", "The ticket drawer", "Brass, and how to leave it alone",
        "Moss on the coping stones", "Fog signals in a biscuit tin", "The new handrail", "Where the siding ended",
        "A ladder of our own", "First evening in the box",
    ),
    tags=("Levers", "Neighbours", "Weather", "Paint", "Birds", "Papers", "Garden", "Repairs"),
    headings=("What we found", "How it is done", "A note on tools", "Since then", "For the record"),
    sentences=(
        "{who} climbed the stairs {when} and wanted to know about {thing}.",
        "We had looked for {thing} in {place}, and of course it lay somewhere else.",
        "{when}, {who} pulled {thing} out of {place} and said nothing at all.",
        "It took {count} mornings to clean {thing}, and it was {how}.",
        "Nobody remembers why {thing} was kept in {place}; {who} has a theory.",
        "{who} says that {thing} was {how} in the old days.",
        "From {place} to the bridge there are {count} paces, or so {who} insists.",
        "If you want to see {thing}, come {when} and bring gloves.",
        "The paint on {thing} is {how}, which surprised {who}.",
        "There is a photograph of {who} beside {thing}, taken {when}.",
        "We moved {thing} to {place} {when}, for the {count}th time this year.",
        "It is {how} to keep {place} dry, and {who} knows it.",
    ),
    slots={
        "who": (
            "the farmer's daughter", "our retired fireman", "a man from the council", "the woman with the spaniel",
            "the younger Pritchard", "a geography teacher", "the crossing keeper", "everyone's uncle",
        ),
        "place": (
            "the locking room", "the coal bunker", "the lamp hut", "the porch", "the old parcels office",
            "the drawer under the desk", "the ditch", "the water tower",
        ),
        "when": (
            "before the frost went", "on the first of the month", "after the school bus", "in the longest rain",
            "at half past six", "one Sunday in June", "while the kettle sang", "between two showers",
        ),
        "thing": (
            "the brass repeater", "a signal arm", "the visitors' book", "a box of fishplates", "the spare lens",
            "a roll of bell wire", "the enamel sign", "an oil can without a spout", "the treadle", "the shelf clock",
            "a bundle of wagon labels",
        ),
        "how": (
            "thicker than expected", "a question of leverage", "nobody's fault", "better than new", "quite impossible",
            "a matter of one screw", "worth the wait",
        ),
        "count": ("four", "six", "seven", "ten", "thirteen", "fourteen"),
    },
)

# What readers answer: whole sentences, so that every comment differs from the articles' words.
REMARKS = (
    "My grandfather worked the next box up the line and would have agreed with every word.",
    "Is the stove the same model as in the crossing cottage?",
    "I walked past last week and wondered what the hammering was.",
    "Please post a picture of the frame when it is finished!",
    "The museum has a spare one, ask for the man with the moustache.",
    "We call that kind of weather a signalman's holiday.",
    "Lovely. More about the bells, please.",
    "You can get the paint from the chandler in town, third shelf.",
)
READERS = ("Olwen", "P. Tarrant", "Signalfan", "Gwil", "Beatrix", "the other Holt", "Mossy", "Anneke")
