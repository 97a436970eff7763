"""Steering from the pages: each action states what it will do, does it, and the ledger has it."""

import world


def dialog(page, button, expected):
    """Opens a dialog by the text of a button and returns after its sentence is there."""
    page.wait(
        f"[...document.querySelectorAll('main button')].find((one) => one.innerText === {button!r})"
    )
    page.run(
        f"[...document.querySelectorAll('main button')].find((one) => one.innerText === {button!r}).click()"
    )
    page.wait(f"document.querySelector('dialog')?.innerText.includes({expected!r})")


def agree(page):
    page.click("dialog button[type=submit]")
    page.wait("!document.querySelector('dialog')")


def events_of(server, sweep, kind):
    items = server.get(f"/v1/events?sweep={sweep}&limit=1000")["items"]
    return [one for one in items if one["kind"] == kind]


def test_a_sweep_is_paused_resumed_and_canceled(tmp_path, pages):
    server = world.start(tmp_path / "data")
    sweep = server.submit(world.sweep_of("steered", 4))
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}")
    for button, expected, state in (
        ("Pause", "No run is started until you resume", "paused"),
        ("Resume", "Free workers get runs again", "running"),
        ("Cancel", "This cannot be undone", "canceled"),
    ):
        dialog(page, button, expected)
        agree(page)
        page.wait(f"document.querySelector('.head .state').innerText.startsWith({state!r})")
        assert server.get(f"/v1/sweeps/{sweep}")["state"] == state
    assert server.stop() == 0


def test_an_edited_trial_is_enqueued_with_the_fields_of_the_space(tmp_path, pages):
    server = world.start(tmp_path / "data")
    sweep = server.submit(world.sweep_of("edited", 6))
    grant = server.acquire(server.join(cpus=1))
    trial = grant["attempt"].split(".")[0].replace("rn_", "tr_")
    page = pages(f"http://127.0.0.1:{server.port}/#/trials/{trial}")
    dialog(page, "Enqueue edited", "before the search method is asked")
    field = (
        "[...document.querySelectorAll('dialog label')]"
        ".find((one) => one.innerText.startsWith({!r})).lastElementChild"
    )
    page.run(field.format("t_max") + ".value = '7'")
    page.run(field.format("learning_rate") + ".value = '1'")
    page.click("dialog button[type=submit]")
    # Out of its bounds: the server's sentence is in the dialog, and nothing was enqueued.
    page.wait("document.querySelector('dialog [role=alert]').innerText.includes('learning_rate: ')")
    assert events_of(server, sweep, "trial_enqueued") == []
    page.faults.clear()  # the browser logs the refused request
    page.run(field.format("learning_rate") + ".value = '0.002'")
    agree(page)
    [asked] = events_of(server, sweep, "trial_enqueued")
    assert asked["params"]["t_max"] == 7 and asked["params"]["learning_rate"] == 0.002
    assert asked["params"]["gamma"] == grant["params"]["gamma"] and asked["from"] == trial
    assert server.stop() == 0


def test_tags_and_notes_of_a_sweep_are_in_the_list_and_markdown_is_text(filled, pages):
    """They were seen nowhere but on the page of the object; notes were one line of plain text."""
    sweep = filled.seeds
    text = "**Why**: see https://example.org/x\n\n- one\n- <b>two</b>"
    filled.server.post("/v1/notes", {"request_id": "markdown", "on": sweep, "text": text})
    filled.server.post("/v1/tags", {"on": sweep, "add": ["paper"]})
    page = pages(f"{filled.url}#/")
    row = f"document.querySelector('tr[data-key={sweep}]').innerText"
    page.wait(f"{row}.includes('paper') && {row}.includes('1 note')")
    page.go(f"#/sweeps/{sweep}")
    page.wait("document.querySelector('.note strong')?.innerText === 'Why'")
    assert page.run("document.querySelector('.note a').href") == "https://example.org/x"
    items = "[...document.querySelectorAll('.note li')].map((one) => one.innerText)"
    assert page.run(items) == ["one", "<b>two</b>"]


def test_a_trial_is_pinned_noted_tagged_and_untagged(filled, pages):
    trial = filled.best()["id"]
    page = pages(f"{filled.url}#/trials/{trial}")
    dialog(page, "Pin", "All checkpoints of its runs are kept")
    agree(page)
    page.wait("document.querySelector('.head .sub').innerText.includes('pinned')")
    dialog(page, "Unpin", "follow the sweep's rule again")
    agree(page)
    dialog(page, "Note", "kept permanently")
    page.run("document.querySelector('dialog textarea').value = 'looks lucky'")
    agree(page)
    page.wait("document.querySelector('.note').innerText.includes('looks lucky')")
    dialog(page, "Tag", "Tags group objects")
    page.run("document.querySelector('dialog input').value = 'candidate'")
    agree(page)
    page.wait("document.querySelector('.head .sub').innerText.includes('candidate')")
    assert filled.server.get(f"/v1/about/{trial}")["tags"] == ["candidate"]
    page.click("[data-tag=candidate]")
    page.wait("document.querySelector('dialog')?.innerText.includes('no longer has the tag')")
    agree(page)
    page.wait("!document.querySelector('[data-tag]')")
    assert filled.server.get(f"/v1/about/{trial}")["tags"] == []


def test_a_standby_offers_no_steering_and_names_its_primary(tmp_path, pages):
    primary = world.start(tmp_path / "a")
    sweep = primary.submit(world.sweep_of("copied", 4))
    url = f"http://127.0.0.1:{primary.port}"
    standby = world.start(tmp_path / "b", f"--follow={url}")
    page = pages(f"http://127.0.0.1:{standby.port}/")
    page.wait("document.body.innerText.includes('copied')")
    page.go(f"#/sweeps/{sweep}")
    page.wait(f"document.getElementById('role').innerText.includes('at its primary, {url}')")
    page.wait("document.querySelector('.head h1')")
    assert "nothing can be changed here" in page.text()
    page.wait("document.querySelector('[data-verb]') === null")
    assert standby.stop() == 0 and primary.stop() == 0


def test_the_leaders_are_confirmed_from_the_page(tmp_path, pages):
    server = world.start(tmp_path / "data")
    sweep = server.submit(world.sweep_of("to confirm", 4))
    world.train(server, sweep, server.join(cpus=8), fail=0, diverge=0)
    page = pages(f"http://127.0.0.1:{server.port}/#/sweeps/{sweep}/confirm")
    dialog(page, "Confirm the leaders", "Nothing of this sweep changes")
    agree(page)
    page.wait(f"location.hash !== '#/sweeps/{sweep}/confirm'")
    confirmation = page.run("location.hash").split("/")[-1]
    assert server.get(f"/v1/sweeps/{confirmation}")["confirms"] == sweep
    assert server.stop() == 0
