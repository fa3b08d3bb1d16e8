"""WS-T as docs/ws-t.md states it: every number computed anew from the table of wins at every duel, nothing kept."""

import math

CAUTION, SHRINK, TIE = 3.0, 0.5, 2**-20
DOUBT, CHEAP, FEW, HOPE, TRIALS, RETURN = 0.5, 0.5, 4, 5.0, 0.01, 0.5


def kl_half(p):
    return math.log(2) + sum(q * math.log(q) for q in (p, 1 - p) if q > 0)


def said(wins, i, k, added=SHRINK):
    """e_ik: what the record of i and k says against i; nothing unless k leads."""
    n = wins[i][k] + wins[k][i]
    return n * kl_half((wins[i][k] + added) / (n + 2 * added)) if wins[k][i] > wins[i][k] else 0.0


def against(wins, i):
    """S_i."""
    return sum(said(wins, i, k) for k in range(len(wins)))


def index(wins, j, z, met):
    n = max(wins[j][z] + wins[z][j], 1)
    return against(wins, j) + math.log(n) + math.log(min(len(wins), met / n)) / 2


def gap_above(wins, z, i):
    """g_i: what z may win of its duels with i beyond a half, at most."""
    n = wins[z][i] + wins[i][z]
    return min(max((wins[z][i] + 1) / (n + 2) - 0.5 + math.sqrt(0.5 / n), 0), 0.5)


def third_arms(wins, z, j):
    """The third arm whose proof that j is bad costs the least, if less than half that of z, and the one to be tried."""
    if wins[z][j] <= wins[j][z]:
        return None, None
    gap = gap_above(wins, z, j)
    cost_of_z = gap / kl_half(0.5 + gap)
    cost, hope = {}, {}
    for k in range(len(wins)):
        n, lead = wins[k][j] + wins[j][k], wins[k][j] - wins[j][k]
        if k in (z, j) or lead < 0 or wins[z][k] + wins[k][z] == 0:
            continue
        gaps = gap + gap_above(wins, z, k)
        root = math.sqrt(said(wins, j, k)) - DOUBT
        if root > 0:
            cost[k] = gaps * n / root**2
        if n < FEW and HOPE * gaps / math.log(2) < cost_of_z:
            hope[k] = gaps - lead
    known = first_of_least(cost, CHEAP * cost_of_z, lambda least: least * (1 - TIE))
    return known, first_of_least(hope, math.inf, lambda least: least - TIE)


def first_of_least(values, least, clearly_below):
    first = None
    for k, value in values.items():
        if value < clearly_below(least):
            first, least = k, value
    return first


def duels(order, answer, horizon):
    """Play: `order` numbers the arms inside; answer(first, second) says whether the first won; yield the pairs."""
    n = len(order)
    wins = [[0] * n for _ in range(n)]
    z, k, j, ahead, meeting, met, served, tried = 0, 0, 1, 0, 1, 0, 0, 0
    for t in range(1, horizon + 1):
        yield order[k], order[j]
        won = answer(order[k], order[j])
        if k != j:
            wins[k if won else j][j if won else k] += 1
            met, ahead = met + 1, ahead + (1 if won else -1)
            lead = wins[k][j] - wins[j][k]
            proved = ahead <= -meeting or against(wins, z) - against(wins, j) > math.log(meeting + 1)
            if k == z and lead < 0 and proved:
                z = j
            elif ahead < 1 and (k == z or lead > 0):
                continue
            meeting += 1
        limit = min(against(wins, i) for i in range(n)) + math.log(CAUTION * (t + 1))
        turns = [(j + step) % n for step in range(1, n + 1)]
        due = [i for i in turns if i != z and index(wins, i, z, met) < limit]
        k, j, ahead = z, (due[0] if due else z), 0
        if due:
            known, hopeful = third_arms(wins, z, j)
            if known is not None:
                k, served = known, served + 1
            elif hopeful is not None and tried < TRIALS * met + RETURN * served:
                k, tried = hopeful, tried + 1
