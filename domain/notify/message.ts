/** Subject of a message. */
export type MessageKind = 'needs-you' | 'over' | 'claim' | 'claim-taken-back' | 'end' | 'digest';

/** Content of a message, as the outbox stores it. */
export interface MessageBody {
  /** First line, without a name of a research. */
  title: string;
  lines: string[];
  /** Commands to copy. */
  commands: string[];
  /** Number of the trial that it is about. */
  n?: number | null;
  /** Researches that it is about, if they are several. */
  researches?: string[];
}

/** A message of the outbox. */
export interface Message {
  id: string;
  kind: MessageKind;
  researchId: string | null;
  body: MessageBody;
  createdAt: Date;
}

/** A delivery: one or more messages that a sink gets as one. `rest` counts messages beyond the limit of an hour. */
export type DeliveryKind = 'needs-you' | 'over' | 'news' | 'digest' | 'rest' | 'test';

/** A delivery, ready for any kind of sink. Its texts are single lines without control characters. */
export interface Notice {
  /** Stable: a repeated delivery has the same id. */
  id: string;
  kind: DeliveryKind;
  sink: string;
  /** Time of the event, or of the last of several, in ISO 8601. */
  at: string;
  title: string;
  lines: string[];
  commands: string[];
  /** Researches that it is about. */
  researches: string[];
}
