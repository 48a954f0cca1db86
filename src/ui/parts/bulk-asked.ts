/** What can be asked of all that is selected, and of the selection itself. */
export type BulkAct = 'run' | 'pause' | 'resume' | 'tag' | 'export' | 'remove' | 'all' | 'clear';

/** Says what a person asks for. */
export class BulkAsked extends Event {
  static readonly type = 'rota-bulk-asked';
  constructor(readonly act: BulkAct) {
    super(BulkAsked.type);
  }
}
