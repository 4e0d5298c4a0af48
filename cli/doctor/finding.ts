/** Result of one check of `perpetua doctor`. */
export interface Finding {
  name: string;
  /** `missing`: needed and absent; `note`: Perpetua works without it, or less well. */
  status: 'ok' | 'note' | 'missing';
  found: string;
  /** Instruction that gets it or improves it; null if there is nothing to do. */
  fix: string | null;
}

export const ok = (name: string, found: string): Finding => ({ name, status: 'ok', found, fix: null });
export const remark = (name: string, found: string, fix: string | null = null): Finding => ({
  name,
  status: 'note',
  found,
  fix,
});
export const missing = (name: string, found: string, fix: string): Finding => ({ name, status: 'missing', found, fix });

/** First line of an error's message. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]?.trim() ?? '';
