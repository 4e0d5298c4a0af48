import { isOver, needsYou, type AttentionEntry } from '../../domain/notify/attention.ts';
import { recordAttention, type AttentionChange, type RecordedAttention } from '../attention/record-attention.ts';
import type { Tx } from '../connect.ts';
import { insertNeeds, insertOvers } from './outbox.ts';

/** Records which entries of "needs you" appeared or ended, with their messages, in one transaction. */
export const recordNeeds = (db: Tx, { now }: { now: Date }): Promise<AttentionChange> =>
  recordAttention(db, {
    now,
    onChange: async (tx, { appeared, joined, ended }) => {
      await closeNeeds(tx, { ended, now });
      const announced = [...appeared, ...joined].filter(isNews);
      await insertNeeds(
        tx,
        announced.map((entry) => needsYou(entryOf(entry))),
      );
    },
  });

/** Writes the messages that close entries which ended. */
export const closeNeeds = (tx: Tx, { ended, now }: { ended: readonly RecordedAttention[]; now: Date }): Promise<void> =>
  insertOvers(
    tx,
    ended.filter(isNews).map((entry) => isOver(entryOf(entry), now)),
  );

/** False for an entry that a person put away for everybody. */
const isNews = ({ dismissedAt }: RecordedAttention): boolean => dismissedAt === null;

const entryOf = ({ id, at, ...entry }: RecordedAttention): AttentionEntry => ({
  ...entry,
  id: String(id),
  beganAt: new Date(at),
});
