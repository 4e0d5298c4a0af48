import type { KeyWords } from './keys.ts';
import { BUDGET_KEYS } from './keys/budget.ts';
import { FOLDER_KEYS } from './keys/folder.ts';
import { RUN_KEYS } from './keys/run.ts';
import { SCORING_KEYS } from './keys/scoring.ts';
import { SEARCH_KEYS } from './keys/search.ts';

/** Every key of task.yaml, by its path: what editors, the reference and the JSON schema say of it. */
export const KEY_CATALOG: Readonly<Record<string, KeyWords>> = {
  ...FOLDER_KEYS,
  ...RUN_KEYS,
  ...SCORING_KEYS,
  ...SEARCH_KEYS,
  ...BUDGET_KEYS,
};
