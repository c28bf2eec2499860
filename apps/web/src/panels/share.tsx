// In and out: links, scenes, tables, pictures, films.
import { useState } from 'preact/hooks';
import * as exports from '../files/exports';
import { remarksOn, shareLink } from '../files/share';
import { t } from '../texts';
import { Button } from './controls';
import { OpenFile, PictureAndFilm } from './files';

export function SharePanel() {
  const [link, setLink] = useState('');
  const share = async () => {
    const made = await shareLink();
    setLink(made);
    history.replaceState(null, '', made.slice(made.indexOf('#')));
    await exports.copyText(made);
  };
  return (
    <div class="panel">
      <p class="lead">{t('share.lead')}</p>
      <div class="buttons">
        <Button name="share" class="button strong" onClick={share}>{t('share.link')}</Button>
      </div>
      {link && <input class="wide" type="text" readOnly data-shows="link" aria-label={t('share.link')} value={link} onFocus={(event) => event.currentTarget.select()} />}
      {link && remarksOn(link).map((remark) => <p key={remark} class="remark" data-shows="link-remark">{remark}</p>)}
      <h3>{t('share.scene')}</h3>
      <div class="buttons">
        <Button name="copy-toml" onClick={exports.copyToml}>{t('share.toml')}</Button>
        <Button name="copy-command" onClick={exports.copyCommand}>{t('share.command')}</Button>
        <Button name="save-scene" onClick={exports.saveScene}>{t('share.save')}</Button>
        <Button name="save-here" onClick={exports.saveAsSeen}>{t('share.save.here')}</Button>
        <OpenFile />
      </div>
      <p class="remark">{t('share.drop')}</p>
      <h3>{t('share.export')}</h3>
      <div class="buttons">
        <Button name="save-csv" onClick={exports.saveCsv}>{t('share.csv')}</Button>
        <Button name="save-run" onClick={exports.saveRun}>{t('share.run')}</Button>
        <PictureAndFilm />
      </div>
    </div>
  );
}
