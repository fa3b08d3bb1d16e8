"""Root Winner Stays as its definition says: every score is summed anew, from a dictionary of margins."""

from collections import Counter
from math import isqrt


class NaiveWsRoot:
    def __init__(self, n_arms, change=3):
        self.won = Counter()  # (i, j): duels i won - lost against j, both ways
        self.waiting, self.passes, self.shown = Counter(), Counter(), Counter()
        self.active, self.size, self.change = set(range(n_arms)), n_arms, change
        self.leader = self.behind = self.since = self.step = 0

    def worth(self, lead):
        return isqrt(lead << 20) if lead > 0 else 1024 * lead

    def score(self, arm, others):
        return sum(self.worth(self.won[arm, other]) for other in others if other != arm)

    def candidates(self, eligible, but=None):
        """The arms of which one is chosen at random."""
        arms = (eligible & self.active) - {but}
        value = {
            arm: self.score(arm, eligible & self.active) - isqrt((self.waiting[arm] + self.passes[arm]) << 20)
            for arm in arms
        }
        top = [arm for arm in arms if value[arm] == max(value.values())]
        return {arm for arm in top if self.shown[arm] == min(self.shown[other] for other in top)}

    def answered(self, *pair):
        for arm in pair:
            self.passes[arm] = 0
            if self.waiting[arm]:
                self.waiting[arm] -= 1
            else:
                self.shown[arm] += 1

    def update(self, first, second, first_won):
        self.answered(first, second)
        winner, loser = (first, second) if first_won else (second, first)
        self.won[winner, loser] += 1
        self.won[loser, winner] -= 1
        self.step += 1
        if self.leader in (winner, loser):
            self.behind = max(0, self.behind + (1 if loser == self.leader else -1))
            self.since = self.since + 1 if self.behind else 0
            if self.behind**2 > self.change * self.since * (self.size + self.step).bit_length() > 0:
                self.cut()
        self.lead()

    def cut(self):
        leads = sorted(self.won[self.leader, arm] for arm in range(self.size) if self.won[self.leader, arm] > 0)
        usual = leads[len(leads) // 2] if leads else 1
        for arm in range(self.size):
            if self.won[self.leader, arm] > 1:
                self.won[self.leader, arm] = max(1, self.won[self.leader, arm] - usual + 1)
                self.won[arm, self.leader] = -self.won[self.leader, arm]
        self.behind = self.since = 0

    def lead(self):
        value = {arm: self.score(arm, self.active) for arm in sorted(self.active)}
        if self.leader not in value or max(value.values()) > value[self.leader]:
            self.leader = max(value, key=value.__getitem__)
            self.behind = self.since = 0

    def show(self, *pair):
        for arm in pair:
            self.waiting[arm] += 1
            self.shown[arm] += 1

    def pass_(self, *pair):
        for arm in pair:
            self.waiting[arm] -= 1
            self.passes[arm] += 1

    def join(self, arms):
        self.active |= set(arms)
        self.size = max(self.size, *(arm + 1 for arm in arms))
        self.lead()

    def leave(self, arms):
        self.active -= set(arms)
        self.lead()
