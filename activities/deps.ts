import type { Store, TxStore } from '../db/store.ts';
import type { Environments } from './deps/environments.ts';
import type { Hosts } from './deps/hosts.ts';
import type { KillPoint } from './deps/kill-point.ts';
import type { Policy } from '../infra/policy.ts';
import type { Machine } from './deps/machine.ts';
import type { Models } from './deps/models.ts';
import type { Pools } from './deps/pools.ts';
import type { Scoring } from './deps/scoring.ts';
import type { Tasks } from './deps/tasks.ts';
import type { Temporal } from './deps/temporal.ts';

export type { KillPoint } from './deps/kill-point.ts';

/** What activities work with; built once, in workers/. */
export interface ActivityDeps {
  store: Store;
  hosts: Hosts;
  environments: Environments;
  pools: Pools;
  models: Models;
  /** A policy that is sampled and learns. */
  policy: Policy;
  scoring: Scoring;
  tasks: Tasks;
  temporal: Temporal;
  machine: Machine;
  reach: (point: KillPoint) => void;
}

/** Some members of a group, for functions that need no more of it. */
export type Part<Group extends keyof ActivityDeps, Member extends keyof ActivityDeps[Group]> = {
  [G in Group]: Pick<ActivityDeps[G], Member>;
};

/** Some statements of a group of the store. */
export type Statements<Group extends keyof TxStore, Name extends keyof TxStore[Group]> = {
  store: { [G in Group]: Pick<TxStore[G], Name> };
};
