import { IsIn, IsString } from 'class-validator';
import { Doc } from '../../tools/schema/doc.decorator.js';
import { SIGNATURE_ADVICE } from '../signatures/signature-mistake.js';

export class SignatureMistakeView {
  @Doc('What went wrong, as a code.')
  @IsIn(Object.keys(SIGNATURE_ADVICE))
  code: string;

  @Doc('What to do about it.')
  @IsString()
  advice: string;
}
