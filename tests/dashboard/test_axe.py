"""No page breaks a rule of the accessibility guidelines (WCAG 2.2, A and AA) or of best practice that a program can check."""

import pytest

import axe
import world


@pytest.fixture(scope="session")
def rules():
    text, why = axe.source()
    if text is None:
        pytest.skip(why)
    return text


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_pages_have_no_violation(dark, filled, pages, rules):
    found = {}
    for name, (address, element) in world.addresses(filled).items():
        page = axe.opened(pages, filled.url + address, dark=dark)
        page.wait(f"document.querySelector({element!r})")
        violations = axe.violations(page, rules)
        if violations:
            found[name] = violations
    assert found == {}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_chart_as_table_a_dialog_and_a_refusal_have_no_violation(dark, filled, pages, rules):
    page = axe.opened(pages, f"{filled.url}#/sweeps/{filled.ended}", dark=dark)
    page.wait("document.querySelector('[data-card=history] button[aria-pressed]')")
    page.run(
        "[...document.querySelectorAll('[data-card=history] header button')]"
        ".find((one) => one.textContent === 'Table').click()"
    )
    page.wait("document.querySelector('.as-table')")
    page.key("?")
    page.wait("document.querySelector('dialog[open]')")
    assert axe.violations(page, rules) == []
    page.key("Escape")
    page.go("#/nowhere")
    page.wait("document.querySelector('main [role=alert]')")
    assert axe.violations(page, rules) == []
