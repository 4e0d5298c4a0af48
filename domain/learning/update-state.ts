/** How far a learning step is; `empty`: nothing could be learnt from its batch. */
export type UpdateState = 'due' | 'done' | 'empty' | 'refused' | 'failed';
