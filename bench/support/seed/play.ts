import { createHash } from 'node:crypto';
import { reasonOfClaim } from '../../../activities/outcome/reason-of-claim.ts';
import type { NewEvent } from '../../../domain/event/kinds.ts';
import { gateEvents } from '../../../domain/event/gate-events.ts';
import { advance, openGate, skipTrial } from '../../../domain/gate/gate.ts';
import { lead } from '../../../domain/gate/standing.ts';
import type { GateConfig, WantedRun } from '../../../domain/gate/types.ts';
import { createRandom, type Random } from '../../../domain/statistics/random.ts';
import { reasonOfFailure, verdictOfFailure } from '../../../domain/trial/outcome.ts';
import type { TrialKind, Verdict } from '../../../domain/trial.ts';
import { changeDesign, filesOf, FIRST_DESIGN, lossOf, type Design } from './design.ts';
import { runOf, UNRUN } from './outcome.ts';
import type { IdleStretch, Played, Story } from './story.ts';

interface Scene {
  researchId: string;
  config: GateConfig;
  trials: number;
  slots: number;
  /** True: trials are still open after that many ends. */
  goesOn: boolean;
  holds: readonly IdleStretch[];
  seed: number;
}

const candidateIdOf = (design: Design): string =>
  createHash('sha256')
    .update(JSON.stringify(filesOf(design)))
    .digest('hex');

/** Simulates a research with the production gate: parallel slots, wanted runs first, else a proposal. */
export function play(scene: Scene): Story {
  return new Player(scene).play();
}

/** Open trials in addition to one for each slot. */
const AHEAD = 2;
/**
 * Number of the first trials, all of which the gate judges. Of the later trials that do not beat the lead, it judges
 * one in ten, to save time.
 */
const JUDGED = 4000;
/** New ideas that are tried before a copy of an older candidate is proposed. */
const TRIES = 20;

class Player {
  readonly #scene: Scene;
  readonly #random: Random;
  readonly #story: Story;
  readonly #byN = new Map<number, Played>();
  readonly #free: number[];
  #recent: string[] = [];
  #audits = 0;
  #clock = 0;
  /** Time before which no trial starts. */
  #held = 0;
  #begun = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#random = createRandom(scene.seed);
    this.#free = Array.from({ length: scene.slots }, () => 0);
    const baseline = candidateIdOf(FIRST_DESIGN);
    const { state: gate, wanted } = openGate(scene.config, baseline);
    this.#story = {
      config: scene.config,
      ended: [],
      open: [],
      designs: new Map([[baseline, FIRST_DESIGN]]),
      baseline,
      claims: [],
      gate,
      wanted,
      events: [],
      totalSeconds: 0,
      idleSeconds: 0,
    };
  }

  play(): Story {
    const { trials, slots, goesOn } = this.#scene;
    const { open, ended } = this.#story;
    while (ended.length < trials) {
      while (open.length < slots + AHEAD && (goesOn || this.#begun < trials)) this.#begin();
      this.#hold();
      const first = open.reduce((earliest, trial) => (trial.ended < earliest.ended ? trial : earliest));
      open.splice(open.indexOf(first), 1);
      this.#end(first);
    }
    while (goesOn && open.length < slots + AHEAD) this.#begin();
    this.#story.totalSeconds = Math.max(this.#clock, this.#held) + 1;
    return this.#story;
  }

  #hold(): void {
    const { holds, trials } = this.#scene;
    const hold = holds.find(({ share }) => Math.floor(share * trials) === this.#story.ended.length);
    if (!hold || this.#story.ended.length === 0) return;
    const { phase, reason, seconds } = hold;
    const { researchId } = this.#scene;
    const at = this.#clock;
    this.#record(at, { kind: 'phase', researchId, data: { from: 'running', phase, reason } });
    this.#record(at + seconds, { kind: 'phase', researchId, data: { from: phase, phase: 'running', reason: null } });
    this.#held = at + seconds;
    this.#story.idleSeconds += seconds;
  }

  #begin(): void {
    this.#begun += 1;
    const want = this.#story.wanted.shift();
    const trial = want ? this.#wanted(want) : this.#proposed();
    this.#byN.set(trial.n, trial);
    this.#story.open.push(trial);
  }

  #blank(n: number, kind: TrialKind): Played {
    const created = Math.max(this.#clock, this.#held) + 0.2;
    return {
      n,
      kind,
      ofTrial: null,
      candidateId: null,
      parentId: null,
      parentReason: null,
      hypothesis: null,
      expectedDelta: null,
      created,
      ready: created,
      slot: null,
      started: null,
      slotWait: null,
      ended: created,
      seconds: null,
      status: 'completed',
      failure: null,
      failureMessage: null,
      evaluatorNotes: null,
      value: null,
      abort: null,
      verdict: 'none',
      reason: null,
      ruled: null,
    };
  }

  #wanted({ kind, candidateId, ofTrial }: WantedRun): Played {
    const trial = { ...this.#blank(this.#begun, kind), candidateId, ofTrial };
    return this.#placed(trial, null);
  }

  #proposed(): Played {
    const { designs, gate } = this.#story;
    const random = this.#random;
    const trial = this.#blank(this.#begun, random.uniform() < 0.002 ? 'injected' : 'search');
    const [parentId, parentReason] = this.#parent();
    const { design, hypothesis } = this.#idea(designs.get(parentId) ?? FIRST_DESIGN);
    const ready = trial.created + 4 + random.uniform() * 16;
    const expectedDelta = -Number((0.002 + random.uniform() * 0.02).toFixed(4));
    Object.assign(trial, { parentId, parentReason, hypothesis, expectedDelta, ready, ended: ready + 0.1 });
    const unrun = this.#unrun();
    if (unrun) return { ...trial, ...unrun };
    const candidateId = candidateIdOf(design);
    designs.set(candidateId, design);
    this.#recent = [...this.#recent.slice(-60), candidateId];
    return this.#placed({ ...trial, candidateId }, lead(gate).estimate);
  }

  /** Draws a new idea, or a copy of an older candidate if new ones are hard to find. */
  #idea(parent: Design): ReturnType<typeof changeDesign> {
    let idea = changeDesign(parent, this.#random);
    for (let more = TRIES; more > 0 && this.#story.designs.has(candidateIdOf(idea.design)); more -= 1)
      idea = changeDesign(parent, this.#random);
    return idea;
  }

  #parent(): [string, string] {
    const { gate } = this.#story;
    const u = this.#random.uniform();
    if (u < 0.75 || this.#recent.length === 0) return [gate.leadId, 'lead'];
    if (u < 0.85) return [gate.incumbentId, 'incumbent'];
    return [this.#recent[this.#random.below(this.#recent.length)] ?? gate.leadId, 'drawn'];
  }

  #unrun(): Partial<Played> | null {
    let u = this.#random.uniform();
    for (const { share, status, failure, message } of UNRUN) {
      u -= share;
      if (u >= 0) continue;
      if (failure !== null) return { status, failure, failureMessage: message };
      const twin = this.#story.ended.findLast(({ kind, value }) => kind === 'search' && value !== null);
      if (twin === undefined) return null;
      const { candidateId } = twin;
      return { status, candidateId, evaluatorNotes: `${message} ${twin.n}` };
    }
    return null;
  }

  /** Places a trial on the slot that is free first, and draws its run. */
  #placed(trial: Played, bar: number | null): Played {
    const slot = this.#free.indexOf(Math.min(...this.#free));
    const free = this.#free[slot] ?? 0;
    const started = Math.max(trial.ready, free) + 0.3 + ((trial.n * 37) % 100) / 100;
    const loss = lossOf(this.#story.designs.get(trial.candidateId ?? '') ?? FIRST_DESIGN);
    const { message, ...run } = runOf({ loss, bar, audits: this.#audits }, this.#random);
    if (run.abort?.audited) this.#audits += 1;
    const ended = started + run.seconds + 0.5;
    this.#free[slot] = started + run.seconds;
    return { ...trial, ...run, failureMessage: message, slot, started, slotWait: started - free, ended };
  }

  #end(trial: Played): void {
    const { ended } = this.#story;
    this.#clock = trial.ended;
    ended.push(trial);
    const { n, kind, status, failure, value, seconds } = trial;
    const data = { kind, status, failure, value, seconds };
    this.#record(trial.ended, { kind: 'trial-ended', researchId: this.#scene.researchId, n, data });
    if (trial.candidateId === null) this.#pass(n, { verdict: 'none', reason: reasonOfFailure(trial) });
    else if (this.#isPlain(trial)) this.#pass(n, { verdict: 'discard', reason: 'no better than the lead' });
    else this.#advance(trial, trial.candidateId);
  }

  #isPlain({ n, kind, status, value }: Played): boolean {
    const bar = lead(this.#story.gate).estimate;
    if (n <= JUDGED || n % 10 === 0 || kind !== 'search' || status !== 'completed') return false;
    return value !== null && bar !== null && value >= bar;
  }

  #pass(n: number, ruling: { verdict: Verdict; reason: string }): void {
    this.#story.gate = skipTrial(this.#story.gate, n);
    this.#rule(n, ruling);
    const data = { ...ruling, by: 'gate' as const };
    this.#record(this.#clock, { kind: 'trial-ruled', researchId: this.#scene.researchId, n, data });
  }

  #advance(trial: Played, candidateId: string): void {
    const { config, researchId } = this.#scene;
    const { gate: before } = this.#story;
    const { n, kind, parentId, ofTrial, value, status, failure } = trial;
    const censored = status === 'lost' || status === 'aborted';
    const stopped = failure === 'cannot-win';
    const run = { n, kind, candidateId, parentId, ofTrial, seed: n, value, censored, stopped };
    const advanced = advance(config, before, run);
    const failed = { n, verdict: verdictOfFailure(trial), reason: reasonOfFailure(trial) };
    const rulings = status === 'completed' ? advanced.rulings : [...advanced.rulings, failed];
    for (const ruling of rulings) this.#rule(ruling.n, ruling);
    const { state, wanted, claimed } = advanced;
    const reason = reasonOfClaim({ rulings, claimed });
    const events = gateEvents(before, { ...advanced, rulings }, { researchId, by: 'gate', reason });
    for (const event of events) this.#record(this.#clock, event);
    this.#story.gate = state;
    const asked = new Set(state.asked.map(({ candidateId: id }) => id));
    this.#story.wanted = [...this.#story.wanted.filter((want) => asked.has(want.candidateId)), ...wanted];
    if (claimed) this.#story.claims.push({ ...claimed, reason, at: this.#clock });
  }

  #rule(n: number, { verdict, reason }: { verdict: Verdict; reason: string }): void {
    const trial = this.#byN.get(n);
    if (trial) Object.assign(trial, { verdict, reason, ruled: this.#clock });
  }

  #record(at: number, event: NewEvent): void {
    this.#story.events.push({ at, event });
  }
}
