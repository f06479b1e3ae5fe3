import { describe, expect, it } from 'vitest';
import { TextCompiler } from '../liquid/text-compiler.js';
import { ContentCompilerService } from './content-compiler.service.js';
import { HtmlProcessesService } from './html-processes.service.js';
import type { TemplateContent } from './template-content.js';

const LARGE = `{% assign a = 1 | plus: 2 %}`.repeat(500);

const content = (texts: number): TemplateContent => ({
  variables: [],
  variants: Object.fromEntries(
    Array.from({ length: texts }, (_, index) => [`l${index}`, { sms: { text: `Hello ${LARGE}` } }]),
  ),
});

describe(ContentCompilerService.name, () => {
  it('checks the texts of an organization without waiting for many earlier calls of another organization', async () => {
    const compiler = new ContentCompilerService(new TextCompiler(), new HtmlProcessesService());
    const ended: string[] = [];
    const compile = async (organizationId: string, texts: number): Promise<void> => {
      await compiler.compile(organizationId, content(texts), new Map());
      ended.push(organizationId);
    };
    const calls = Array.from({ length: 40 }, () => compile('org_1', 2));
    await Promise.all([...calls, compile('org_2', 2)]);
    expect(ended.indexOf('org_2')).toBeLessThan(10);
  });
});
