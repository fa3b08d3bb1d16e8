"""Signing in with a key: who gets in, what the session may do, how it ends."""

from http.client import HTTPConnection

import pytest

from tests.waiting import PATIENCE_SECONDS, wait_until
from winnerstays.service.keys import ApiKeys
from winnerstays.web import sessions, sushi


@pytest.fixture
def keys(site):
    """Secrets of keys by what they may do."""
    sushi.ready_arena(site.arenas)
    site.arenas.create("closed", ["a", "b"])
    create = ApiKeys.of(site.arenas).create
    return {
        "admin": create(["admin"])[0], "read": create(["read"])[0], "serve": create(["serve"])[0],
        "closed": create(["read"], arenas=["closed"])[0],
    }  # fmt: skip


@pytest.fixture(autouse=True)
def _any_number_of_tries(monkeypatch):
    monkeypatch.setattr(sessions, "TRIES_PER_SECOND", 1e6)


def sign_in(site, key, to="/arenas"):
    return site.post("/sign-in", data={"key": key, "to": to})


def test_pages_for_whoever_has_a_key_lead_to_the_form(site, keys):
    for path in ("/arenas", "/new", "/arenas/closed/share"):
        response = site.get(path)
        assert response.status_code == 303 and response.headers["Location"] == f"/sign-in?to={path}"
    assert site.post("/new", data={"name": "x", "items": "a\nb"}).status_code == 401
    assert site.post("/play/sushi/robots", data={}).status_code == 401


def test_signing_in_and_out(site, keys):
    response = sign_in(site, keys["admin"], "/new")
    assert response.status_code == 303 and response.headers["Location"] == "/new"
    cookie = response.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and keys["admin"] not in cookie
    assert site.get("/new").status_code == 200 and site.get("/play/closed").status_code == 200
    kept = cookie.split(";")[0]  # by somebody who took it from the browser
    site.post("/sign-out")
    assert site.get("/new").status_code == 303
    assert site.get("/new", headers={"Cookie": kept}).status_code == 303
    assert sign_in(site, keys["admin"], "/new").headers["Set-Cookie"].split(";")[0] != kept
    assert site.get("/new").status_code == 200


@pytest.mark.parametrize("key", ["", "ws_wrong", "wsv_wrong", "é\u20ac", "x" * 5000])
def test_a_wrong_key_is_refused(site, keys, key):
    response = sign_in(site, key)
    assert response.status_code == 401 and "Set-Cookie" not in response.headers and "not valid" in response.text


def test_a_key_that_may_not_look_is_refused(site, keys):
    assert sign_in(site, keys["serve"]).status_code == 403


def test_a_key_that_may_look_may_not_make(site, keys):
    sign_in(site, keys["read"])
    assert site.get("/arenas").status_code == 200
    assert site.get("/new").status_code == 403
    assert site.post("/play/sushi/robots", data={}).status_code == 403


def test_a_key_for_one_arena_sees_that_one(site, keys):
    sign_in(site, keys["closed"])
    listed = site.get("/arenas").text
    assert "closed" in listed and "sushi" not in listed
    assert site.get("/arenas/sushi/share").status_code == 404


def test_an_expired_session_leads_to_the_form(site, keys, monkeypatch):
    monkeypatch.setattr(sessions, "SECONDS", -1.0)
    session = sign_in(site, keys["admin"]).headers["Set-Cookie"].split(";")[0]
    assert site.get("/arenas", headers={"Cookie": session}).status_code == 303


def test_a_revoked_key_ends_its_sessions(site, keys):
    sign_in(site, keys["admin"])
    admin = next(key for key in ApiKeys.of(site.arenas).list() if "admin" in key.scopes)
    ApiKeys.of(site.arenas).revoke(admin.id)
    wait_until(lambda: site.get("/arenas").status_code == 303)  # keys are read again within a second


def test_forged_sessions_and_visitors_are_nobody(site, keys):
    site.post("/play/sushi", data={"ask": "pair"})
    visitor = site.cookies["visitor"]
    for forged in ("", "x", "wsv_", visitor, visitor[:-4] + "AAAA"):
        assert site.get("/arenas", headers={"Cookie": f"session={forged}"}).status_code == 303


@pytest.mark.parametrize("to", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:x", ""])
def test_signing_in_leads_nowhere_else(site, keys, to):
    assert sign_in(site, keys["read"], to).headers["Location"] == "/arenas"


def test_a_form_of_another_site_does_not_sign_in(site, keys):
    response = site.post("/sign-in", data={"key": keys["admin"]}, headers={"Sec-Fetch-Site": "cross-site"})
    assert response.status_code == 403 and "Set-Cookie" not in response.headers


def test_a_form_of_this_site_over_another_scheme_does_not_sign_in(site, keys):
    host = site.url.removeprefix("http://")
    for scheme, status in (("https", 403), ("http", 303)):
        response = site.post("/sign-in", data={"key": keys["admin"]}, headers={"Origin": f"{scheme}://{host}"})
        assert response.status_code == status


def test_a_form_of_many_fields_or_an_odd_length_is_no_defect(site, keys):
    many = "&".join(f"f{k}=1" for k in range(101))
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert "100 fields" in site.post("/sign-in", content=many, headers=form).text
    for length in ("0" * 5000, "-1", "1e3"):
        connection = HTTPConnection(site.url.removeprefix("http://"), timeout=PATIENCE_SECONDS)
        connection.request("POST", "/sign-in", headers={**form, "Content-Length": length})
        assert 400 <= connection.getresponse().status < 500, length
        connection.close()


def test_trying_keys_is_slow(site, keys, monkeypatch):
    monkeypatch.setattr(sessions, "TRIES_PER_SECOND", 1e-6)
    assert [sign_in(site, "ws_wrong").status_code for _ in range(2)] == [401, 429]


def test_in_the_browser(site, keys, open_page):
    page = open_page(f"{site.url}/arenas")
    page.get_by_label("Key").fill(keys["admin"])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="closed").wait_for()
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{site.url}/new")
    page.get_by_role("heading", name="Sign in").wait_for()
