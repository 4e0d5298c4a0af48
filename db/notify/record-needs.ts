import { isOver, needsYou, type AttentionEntry } from '../../domain/notify/attention.ts';
import { recordAttention, type AttentionChange, type RecordedAttention } from '../attention/record-attention.ts';
import type { Tx } from '../connect.ts';
import { insertNeeds, insertOvers } from './outbox.ts';

/** Records which entries of "needs you" appeared or ended, with their messages, in one transaction. */
export const recordNeeds = (db: Tx, { now }: { now: Date }): Promise<AttentionChange> =>
  recordAttention(db, {
    now,
    onChange: async (tx, { appeared, ended }) => {
      // A person put a dismissed entry away for everybody.
      const isNews = ({ dismissedAt }: RecordedAttention): boolean => dismissedAt === null;
      await insertOvers(
        tx,
        ended.filter(isNews).map((entry) => isOver(entryOf(entry), now)),
      );
      await insertNeeds(
        tx,
        appeared.filter(isNews).map((entry) => needsYou(entryOf(entry))),
      );
    },
  });

const entryOf = ({ id, at, ...entry }: RecordedAttention): AttentionEntry => ({
  ...entry,
  id: String(id),
  beganAt: new Date(at),
});
