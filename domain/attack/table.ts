import { ANSWERS } from './attacks/answers.ts';
import type { Attack } from './attack.ts';
import { COMPUTE } from './attacks/compute.ts';
import { FAKE_METRIC } from './attacks/fake-metric.ts';
import { HIDDEN } from './attacks/hidden.ts';
import { IMMUTABLE } from './attacks/immutable.ts';
import {
  EXIT_137,
  FLOOD,
  IGNORE_TERM,
  KILL_ITSELF,
  TOO_MANY_FILES,
  TOO_MANY_PROCESSES,
  TOO_MUCH_DISK,
  TOO_MUCH_MEMORY,
} from './attacks/limits.ts';
import { MALFORMED } from './attacks/malformed.ts';
import { SPECIAL_FILES } from './attacks/special-files.ts';
import { ODD_NUMBERS } from './attacks/odd-numbers.ts';
import { PICKLE } from './attacks/pickle.ts';
import { PLANT } from './attacks/plant.ts';
import { READ_FEEDBACK, REACH_MODEL, READ_SECRETS, REACH_SERVERS } from './attacks/secrets.ts';
import { NOTES, ODD_NAMES, OUTLIVE } from './attacks/leftovers.ts';
import { TOO_LARGE } from './attacks/too-large.ts';

/** All attacks, in the order in which they are tried: the cheapest first. */
export const ATTACKS: readonly Attack[] = [
  ...SPECIAL_FILES,
  TOO_LARGE,
  ...MALFORMED,
  ...IMMUTABLE,
  EXIT_137,
  KILL_ITSELF,
  FAKE_METRIC,
  ...ODD_NUMBERS,
  PICKLE,
  READ_SECRETS,
  REACH_SERVERS,
  REACH_MODEL,
  READ_FEEDBACK,
  PLANT,
  NOTES,
  OUTLIVE,
  ODD_NAMES,
  ...ANSWERS,
  FLOOD,
  TOO_MANY_PROCESSES,
  TOO_MUCH_MEMORY,
  TOO_MUCH_DISK,
  TOO_MANY_FILES,
  ...HIDDEN,
  ...COMPUTE,
  IGNORE_TERM,
];
