"""Views that the user named open for every sweep of the server."""


def open_menu(page):
    page.wait("document.querySelector('.tabs-row summary')")
    page.run("document.querySelector('.tabs-row details').open = true")
    page.wait("document.querySelector('.tabs-row form input')")


def test_a_named_view_opens_for_another_sweep_and_after_a_reload(filled, pages):
    page = pages(f"{filled.url}#/sweeps/{filled.ended}/curves?y=log&pick=1&states=stopped")
    open_menu(page)
    page.run("document.querySelector('.tabs-row form input').value = 'ends of <b>logs</b>'")
    page.run("void document.querySelector('.tabs-row form').requestSubmit()")
    page.wait("document.querySelector('.tabs-row li a')")
    page.go(f"#/sweeps/{filled.running}")
    page.run("location.reload()")
    page.wait("document.querySelector('[data-card=history]')")
    open_menu(page)
    assert page.run("document.querySelector('.tabs-row li a').innerText") == "ends of <b>logs</b>"
    page.run("document.querySelector('.tabs-row li a').click()")
    page.wait("document.querySelector('[data-card=curves]')")
    # The selection names trials of the other sweep.
    address = page.run("location.hash")
    assert address == f"#/sweeps/{filled.running}/curves?y=log&states=stopped"
    open_menu(page)
    page.run("document.querySelector('.tabs-row li button').click()")
    page.wait("!document.querySelector('.tabs-row li')")
    assert page.run("localStorage.getItem('hone.views')") == "[]"
