/** What reads files and shows what is inside. Loaded with the first that somebody chooses. */
import './import-preview.ts';

export { offerOf, readChosen, takeIn } from './offer.ts';
export { doneText } from './words.ts';
