"""WS-T as docs/ws-t.md states it: every number computed anew from the table of wins at every duel, nothing kept."""

import math

CAUTION, SHRINK, CASE_SHRINK, TIE = 3.0, 1.0, 0.25, 2**-20


def kl_half(p):
    return math.log(2) + sum(q * math.log(q) for q in (p, 1 - p) if q > 0)


def said(wins, i, k, added):
    """e_ik: what the record of i and k says against i; nothing unless k leads."""
    n = wins[i][k] + wins[k][i]
    return n * kl_half((wins[i][k] + added) / (n + 2 * added)) if wins[k][i] > wins[i][k] else 0.0


def against(wins, i):
    """S_i."""
    return sum(said(wins, i, k, SHRINK) for k in range(len(wins)))


def index(wins, j, z, met):
    """The case against j and what it rests on, as one number; -inf for an arm that never played."""
    if not any(wins[j]) and not any(row[j] for row in wins):
        return -math.inf
    evidence = {k: said(wins, j, k, SHRINK) for k in range(len(wins))}
    total = sum(evidence.values())
    case = total - evidence[z] + said(wins, j, z, CASE_SHRINK)
    rests_on = wins[j][z] + wins[z][j]
    if total > 0:
        rests_on = min(rests_on, sum((wins[j][k] + wins[k][j]) * e for k, e in evidence.items()) / total)
    w = max(rests_on, 1)
    return case + math.log(w) + min(math.log(len(wins)), math.log(met / w)) / 2


def duels(order, answer, horizon):
    """Play: `order` numbers the arms inside; answer(first, second) says whether the first won; yield the pairs."""
    n = len(order)
    wins = [[0] * n for _ in range(n)]
    z, j, ahead, meeting, met = 0, 1, 0, 1, 0
    for t in range(1, horizon + 1):
        yield order[z], order[j]
        z_won = answer(order[z], order[j])
        if z != j:
            wins[z if z_won else j][j if z_won else z] += 1
            met, ahead = met + 1, ahead + (1 if z_won else -1)
            leads = wins[j][z] > wins[z][j]
            proved = ahead <= -meeting or against(wins, z) - against(wins, j) > math.log(meeting + 1)
            if leads and proved:
                z = j
            elif ahead < 1:
                continue
            meeting += 1
        least, challenger = math.inf, None
        for k in ((j + step) % n for step in range(1, n + 1)):
            if k != z and index(wins, k, z, met) < least - TIE:
                least, challenger = index(wins, k, z, met), k
        due = least - against(wins, z) < math.log(CAUTION * (t + 1))
        j, ahead = (challenger if due else z), 0
