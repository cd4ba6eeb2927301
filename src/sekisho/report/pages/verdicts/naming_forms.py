"""What stands in a column that names people, in two languages."""

from __future__ import annotations

from collections.abc import Mapping

from sekisho.data.identity.forms import Form
from sekisho.report.kit.words import Text

FORMS: Mapping[str, Text] = {
    Form.EMAIL: Text(Form.EMAIL.value, "メールアドレス"),
    Form.LINK: Text(Form.LINK.value, "リンク（URL）"),
    Form.NET: Text(Form.NET.value, "IPアドレス"),
    Form.DEVICE: Text(Form.DEVICE.value, "機器の番号"),
    Form.PHONE: Text(Form.PHONE.value, "電話番号"),
    Form.ADDRESS: Text(Form.ADDRESS.value, "番地までの住所"),
    Form.ACCOUNT: Text(Form.ACCOUNT.value, "口座やカードの番号"),
    Form.MY_NUMBER: Text(Form.MY_NUMBER.value, "マイナンバーの検査数字をもつ12桁の番号"),
    Form.OFFICIAL: Text(Form.OFFICIAL.value, "公的な個人や法人の番号"),
    Form.COORDINATES: Text(Form.COORDINATES.value, "正確な位置の座標"),
    Form.NAMES: Text(Form.NAMES.value, "人の名前"),
    Form.PARTS: Text(Form.PARTS.value, "人を名指しする別の列の一部"),
    Form.WORDS: Text(Form.WORDS.value, "名前かもしれない語"),
    Form.SENTENCES: Text(Form.SENTENCES.value, "人の名前を含む文"),
    Form.PROSE: Text(Form.PROSE.value, "自由記述"),
    Form.CODES: Text(Form.CODES.value, "それぞれ少数の行にだけ現れるコード"),
}
